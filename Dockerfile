# The service in a small image that runs as nobody special.
FROM rust:1-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cargo build --release --locked --bin remik

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/remik remik
COPY --from=build /src/target/release/remik /usr/local/bin/remik
USER remik
WORKDIR /var/lib/remik
ENV REMIK_LISTEN=0.0.0.0:8080 REMIK_DATA_DIR=/var/lib/remik REMIK_LOG_FORMAT=json
VOLUME /var/lib/remik
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["remik"]
CMD ["serve"]
