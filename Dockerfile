# warmturn for Linux: build the single executable, then run it on a slim base, as a user without rights.
#   docker build -t warmturn .
#   docker run -p 127.0.0.1:8080:8080 -v warmturn:/data -v /path/to/models:/models:ro warmturn \
#     -m /models/model.gguf --host 0.0.0.0 --insecure
# Inside a container every interface has to be listened on: published to this machine alone, --insecure will do; published
# to others, give a key (-e WARMTURN_API_KEY). It runs with --read-only --tmpfs /tmp as well.
# CUDA: docker build --build-arg TARGET=linux-x64-cuda --build-arg BASE=nvidia/cuda:13.0.0-runtime-ubuntu24.04 .
ARG BASE=debian:bookworm-slim

FROM oven/bun:1.4.5-slim AS build
ARG TARGET=linux-x64
WORKDIR /build
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY patches patches
RUN bun install --frozen-lockfile --production
COPY ffi ffi
COPY models/demo/demo.gguf models/demo/demo.gguf
COPY src src
COPY scripts scripts
RUN bun scripts/build.ts --target "$TARGET" --outfile /build/warmturn

FROM ${BASE}
# libstdc++6 and libgomp1 are all that the llama.cpp libraries need; Bun compiles the shim at the start.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libstdc++6 libgomp1 ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home --home-dir /data warmturn
COPY --from=build /build/warmturn /usr/local/bin/warmturn
USER 10001
ENV WARMTURN_HOME=/data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s CMD ["/usr/local/bin/warmturn", "health"]
ENTRYPOINT ["/usr/local/bin/warmturn"]
CMD ["--host", "0.0.0.0"]
