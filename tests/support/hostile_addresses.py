"""Addresses and names of keys that a stranger's manifest may not have, each with a part of what is said about it."""

LINKS = {
    "javascript:alert(1)": "https", "data:text/html,<script>alert(1)</script>": "https", "vbscript:x": "https",
    "file:///etc/passwd": "https", "http://github.com/a/b": "https", "ftp://github.com/a": "https",
    "//github.com/a": "https", "https://user:secret@github.com/a": "account or password",
    "https://github.com@evil.example/": "account or password",
    "https://github.com\\@evil.example/": "no plain https address", "https://github.com%2eevil.example/": "characters",
    "https://evil.example/": "not among the hosts", "https://github.com.evil.example/": "not among the hosts",
    "https://notgithub.com/": "not among the hosts", "https://evilgithub.io/": "not among the hosts",
    "https://127.0.0.1/": "this machine's own", "https://[::1]/": "this machine's own",
    "https://0.0.0.0/": "inside a network", "https://2130706433/": "in disguise", "https://0x7f.1/": "in disguise",
    "https://0177.0.0.1/": "in disguise", "https://10.1.2.3/": "inside a network",
    "https://192.168.1.1/": "inside a network", "https://169.254.169.254/latest/meta-data/": "link-local",
    "https://[fe80::1]/": "link-local", "https://[::ffff:169.254.169.254]/": "link-local",
    "https://localhost/": "inside a network", "https://metadata.google.internal/": "inside a network",
    "https://github.com:8443/a": "a port of its own", "https://github.com:99999/a": "no such port",
    "https://gıthub.com/": "characters", "https://①②⑦.0.0.1/": "characters",
    "https://github.com/a b": "no plain https address", 'https://github.com/"onclick="x': "no plain https address",
    "https://github.com/<script>": "no plain https address", "https://github.com/{{7*7}}": "no plain https address",
    "https://github.com/`x`": "no plain https address", "https://8.8.8.8/": "not among the hosts",
}  # fmt: skip
"""Links that are refused, and why."""

BASE_URLS = {
    "https://127.0.0.1/v1": "this machine's own", "http://127.0.0.1:8000/v1": "this machine's own",
    "http://localhost:11434/v1": "inside a network", "http://[::1]:8000/v1": "this machine's own",
    "https://169.254.169.254/v1": "link-local", "https://[fd00:ec2::254]/v1": "inside a network",
    "https://[64:ff9b::a9fe:a9fe]/v1": "link-local", "https://[::ffff:10.0.0.1]/v1": "inside a network",
    "https://[2002:7f00:1::]/v1": "this machine's own", "https://100.64.0.1/v1": "inside a network",
    "https://168.63.129.16/v1": "cloud's or a site's own", "https://192.0.0.192/v1": "cloud's or a site's own",
    "https://[fec0::1]/v1": "cloud's or a site's own", "https://[::a9fe:a9fe]/v1": "inside a network",
    "https://[64:ff9b:1::a9fe:a9fe]/v1": "inside a network", "https://0251.0376.0251.0376/v1": "in disguise",
    "https://169.254.43518/v1": "in disguise", "https://7f000001.c0a80001.rbndr.us/v1": "any address",
    "https://127.0.0.1:22/v1": "this machine's own", "https://127.0.0.1./v1": "this machine's own",
    "https://localhost%00.evil.example/v1": "characters", "https://[::1%25eth0]/v1": "characters",
    "https://unix:%2Fvar%2Frun%2Fdocker.sock/v1": "characters",
    "unix:///var/run/docker.sock": "https, or http on loopback",
    "gopher://127.0.0.1:6379/_x": "https, or http on loopback", "https:///169.254.169.254/v1": "characters",
    "https://metadata.google.internal/v1": "inside a network", "https://kubernetes.default.svc/v1": "inside a network",
    "https://printer.local/v1": "inside a network", "https://intranet/v1": "no public name",
    "https://localhost./v1": "inside a network", "https://127.0.0.1.nip.io/v1": "any address",
    "https://017700000001/v1": "in disguise", "https://0x7f000001/v1": "in disguise", "https://127.1/v1": "in disguise",
    "https://api.openai.com@evil.example/v1": "without credentials", "https://api.openai.com/v1?x=1": "query",
    "https://api.openai.com/v1#x": "query", "https://api.openai.com\\.evil.example/v1": "no plain https address",
    "http://api.openai.com/v1": "https, or http on loopback", "ftp://api.openai.com/v1": "https, or http on loopback",
    "file:///etc/passwd": "https, or http on loopback", "https://": "host",
}  # fmt: skip
"""Addresses of services that are refused where maintainers play, and why."""

KEYS = {
    "GITHUB_TOKEN": "continuous integration", "HF_TOKEN": "continuous integration",
    "NPM_TOKEN": "continuous integration", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "continuous integration",
    "DEPLOY_TOKEN": "continuous integration", "TOKEN": "does not fit", "PATH": "does not fit",
    "openai_api_key": "does not fit", "OPENAI_API_KEY; curl evil.example": "what stands there does not fit",
    "$(cat /etc/passwd)_KEY": "does not fit",
    "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789": "what stands there does not fit",
    "ACTIONS_RUNTIME_KEY": "continuous integration", "ACTIONS_ID_TOKEN_REQUEST_KEY": "continuous integration",
    "GITHUB_APP_KEY": "continuous integration", "GH_KEY": "continuous integration", "HF_KEY": "continuous integration",
    "HUGGINGFACE_API_KEY": "continuous integration", "AWS_SECRET_ACCESS_KEY": "continuous integration",
    "PYPI_API_KEY": "continuous integration", "NPM_KEY": "continuous integration", "SSH_KEY": "continuous integration",
    "RUNNER_KEY": "continuous integration", "APP_PRIVATE_KEY": "continuous integration",
    "RELEASE_SIGNING_KEY": "continuous integration", "DEPLOY_KEY": "continuous integration",
    "IRCORE_KEY": "continuous integration",
}  # fmt: skip
"""Names of environment variables that are refused, and why."""
