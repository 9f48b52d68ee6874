"""Texts that harm where they are not shown as text, and texts that must not be published."""

MARKUP = {
    "a script": "<script>window.hacked=1</script>",
    "a picture that runs": "<img src=x onerror=window.hacked=1>",
    "a closing attribute": "\"'><svg onload=window.hacked=1>",
    "a link of Markdown": "[x](javascript:window.hacked=1)",
    "code of Markdown": "`--8<--`",
    "a Jinja expression": "{{ 7*7 }}",
    "a Jinja statement": "{% include '/etc/passwd' %}",
    "an entity": "&lt;script&gt;",
    "an address that runs": "javascript:alert(1)",
    "an address that is data": "data:text/html;base64,PHNjcmlwdD4=",
    "a formula": '=HYPERLINK("https://evil.example","x")',
    "a formula with plus": "+1+cmd|'/c calc'!A0",
    "a formula with minus": "-2+3+cmd|'/c calc'!A0",
    "a formula with at": "@SUM(1+1)*cmd|'/c calc'!A0",
}
"""Texts that are harmful where they are not shown as text."""

SECRETS = {
    "hf": "hf_" + "a" * 30,
    "openai": "sk-proj-" + "b" * 40,
    "anthropic": "sk-ant-" + "c" * 40,
    "google": "AIza" + "d" * 35,
    "github": "github_pat_" + "e" * 40,
    "slack": "xoxp-" + "1" * 20,
    "groq": "gsk_" + "2" * 40,
    "xai": "xai-" + "3" * 40,
    "replicate": "r8_" + "4" * 37,
    "registry": "pypi-" + "5" * 40,
    "aws": "ASIA" + "F" * 16,
    "pem": "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
    "home": "/home/somebody/.cache",
    "windows": "C:\\Users\\somebody",
}
"""What must stay secret, by what it is."""
