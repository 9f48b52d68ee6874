# The two commands of README.md in a container:
#   docker build -t ircore .
#   docker run --name ircore-demo ircore              make demo
#   docker cp ircore-demo:/ircore/build/demo demo
#   docker run --rm ircore make test
FROM python:3.13-slim-trixie

# git, bubblewrap and chromium are for the tests alone. Debian keeps one version of a package, so none is pinned.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap chromium fonts-dejavu-core git make \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --uid 1000 --create-home --shell /bin/bash player \
    && install --directory --owner player --group player /ircore
USER 1000:1000
WORKDIR /ircore
COPY --chown=1000:1000 . .
RUN make install
CMD ["make", "demo"]
