# warmturn for Linux: build the single executable, then run it on a slim base.
#   docker build -t warmturn .
#   docker run -p 8080:8080 -e WARMTURN_API_KEY -v /path/to/models:/models warmturn -m /models/model.gguf --host 0.0.0.0
# Inside a container every interface has to be listened on, so a key is needed; where the port is published to this
# machine alone (-p 127.0.0.1:8080:8080), --insecure in its place will do.
# CUDA: docker build --build-arg LLAMA_PACKAGE=@node-llama-cpp/linux-x64-cuda@3.21.1 \
#         --build-arg BASE=nvidia/cuda:13.0.0-runtime-ubuntu24.04 -t warmturn-cuda .
ARG BASE=debian:bookworm-slim

FROM oven/bun:1.4.5 AS build
ARG LLAMA_PACKAGE=""
WORKDIR /build
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY patches patches
RUN bun install --frozen-lockfile && if [ -n "$LLAMA_PACKAGE" ]; then bun add -E "$LLAMA_PACKAGE"; fi
COPY ffi ffi
COPY models/demo/demo.gguf models/demo/demo.gguf
COPY src src
COPY scripts scripts
RUN bun run build

FROM ${BASE}
# libstdc++6 is all that the llama.cpp libraries need; the shim is compiled by Bun itself, at start-up.
RUN apt-get update && apt-get install -y --no-install-recommends libstdc++6 ca-certificates \
    && rm -rf /var/lib/apt/lists/* && useradd --create-home warmturn
COPY --from=build /build/dist/warmturn /usr/local/bin/warmturn
USER warmturn
ENV WARMTURN_HOME=/home/warmturn/.cache/warmturn
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=120s CMD \
    bash -c 'exec 3<>/dev/tcp/127.0.0.1/8080 && printf "GET /health HTTP/1.0\r\n\r\n" >&3 && head -n 1 <&3 | grep -q " 200 "'
ENTRYPOINT ["/usr/local/bin/warmturn"]
CMD ["--host", "0.0.0.0"]
