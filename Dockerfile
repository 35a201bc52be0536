# rankmark where nothing else is:
#
#   docker build --tag rankmark .
#   docker run --rm --volume "$PWD:/data" rankmark eval qrels.txt bm25.run
FROM python:3.12-slim-bookworm AS built
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates gcc libc6-dev
COPY . /project
WORKDIR /project
# The build backend installs Rust for as long as it builds.
RUN pip wheel --no-cache-dir --wheel-dir /wheels .

FROM python:3.12-slim-bookworm
RUN --mount=type=bind,from=built,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels rankmark \
    && useradd --create-home rankmark
USER rankmark
WORKDIR /data
ENTRYPOINT ["rankmark"]
