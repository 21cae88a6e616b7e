# The service in an image of its own: one static program, no shell, no root.
#   docker build -t inlay .
#   docker run -p 127.0.0.1:8765:8765 -v inlay:/var/lib/inlay inlay
# docs/deploying.md says how keys are made and where models come from.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make build && mkdir -p /out && cp bin/inlay /out/inlay \
    && mkdir -p /out/tmp /out/var/lib/inlay

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=65532:65532 /out/tmp /tmp
COPY --from=build --chown=65532:65532 /out/var/lib/inlay /var/lib/inlay
COPY --from=build /out/inlay /usr/local/bin/inlay
USER 65532:65532
ENV INLAY_ADDR=0.0.0.0:8765 \
    INLAY_DATA=/var/lib/inlay/data \
    XDG_CACHE_HOME=/var/lib/inlay/cache
VOLUME /var/lib/inlay
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=15s --start-period=20s CMD ["/usr/local/bin/inlay", "doctor", "--only", "server"]
ENTRYPOINT ["/usr/local/bin/inlay"]
CMD ["serve"]
