# Builds the whole of Pageside from a checkout and ships the binary alone: no shell, no root, no library.
#   docker build -t pageside .
# docs/guide/deployment.md says what to mount.
FROM node:20-bookworm-slim AS node

FROM golang:1.26-bookworm AS build
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /src
COPY . .
# The commit, where the sources come without .git.
ARG COMMIT=
RUN make build ${COMMIT:+COMMIT=$COMMIT} && mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
LABEL org.opencontainers.image.source="https://github.com/pageside/pageside" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /src/bin/pageside /pageside
COPY --from=build --chown=nonroot:nonroot /data /data
VOLUME /data
WORKDIR /data
EXPOSE 8420
ENTRYPOINT ["/pageside"]
CMD ["serve", "--config", "/etc/pageside/pageside.yaml", "--store", "sqlite:/data/pageside.db", "--listen", "0.0.0.0:8420"]
