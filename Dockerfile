# Mailproof as an image, from the package of a release: run `npm run release -- --dry-run` first, then
#
#   docker build --tag mailproof .          (or: podman build --format docker --tag mailproof .)
#
# The package has no native code, so the image is for whatever platform its base is for (amd64, arm64). Another base, say
# one of your own, is given with `--build-arg BASE=…`; it needs Node 24 and a shell.
ARG BASE=docker.io/library/node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${BASE} AS unpacked
COPY artifacts/release/mailproof-[0-9]*.tgz /tmp/mailproof.tgz
RUN mkdir -p /opt/mailproof /data \
  && tar -xzf /tmp/mailproof.tgz -C /opt/mailproof --strip-components=1 --no-same-owner

FROM ${BASE}
COPY --from=unpacked /opt/mailproof /opt/mailproof
COPY --from=unpacked --chown=10001:10001 /data /data
# The output of a container is collected, and keys do not belong there: they go to /data/first-keys.txt.
ENV NODE_ENV=production \
  MAILPROOF_HOST=0.0.0.0 \
  MAILPROOF_PORT=8080 \
  MAILPROOF_DATA_DIR=/data \
  MAILPROOF_FIRST_KEYS=file
# All that is written: the root file system may be read-only.
VOLUME /data
WORKDIR /data
USER 10001:10001
EXPOSE 8080
# Draining takes 30 seconds at most; docker waits 10 unless it is told (`docker stop --time 45`).
STOPSIGNAL SIGTERM
# Asks over HTTP, and over HTTPS if the service has a certificate of its own, which need not be for this name.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "const ask = (scheme) => new Promise((resolve) => { const asked = require(scheme).get({ host: '127.0.0.1', port: process.env.MAILPROOF_PORT, path: '/healthz', rejectUnauthorized: false, timeout: 2000 }, ({ statusCode }) => resolve(statusCode === 200)); asked.on('error', () => resolve(false)).on('timeout', () => asked.destroy()); }); ask('http').then((ok) => ok || ask('https')).then((ok) => process.exit(ok ? 0 : 1))"]
ENTRYPOINT ["/opt/mailproof/bin/mailproof"]
CMD ["serve"]
