FROM docker.io/library/node:24-bookworm AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Lets the user of the image read the files, also if those of the checkout are private. Messages of the service name files in
# `deploy` and `docs`.
RUN npm run build && npm prune --omit=dev && rm -r deploy/packages && \
    chmod --recursive go+rX package.json dist deploy docs && \
    mkdir /installed && mv package.json node_modules dist deploy docs /installed

# Image of the backup: the service with PostgreSQL's client programs, which must not be older than the server.
# SSL_CERT_FILE names the authorities for psql; the service has its own.
FROM docker.io/library/postgres:18-bookworm AS backup
ENV NODE_ENV=production \
    BACKUP_PROGRAM=animal-store \
    BACKUP_FOLDER=/backups \
    SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /usr/local/bin/node /usr/local/bin/
COPY --from=build /installed /service
RUN ln -s /service/dist/app/main.js /usr/local/bin/animal-store && \
    ln -s /service/deploy/systemd/animal-store-backup /usr/local/bin/ && \
    mkdir /backups /metrics && chown 1000:1000 /backups /metrics
USER 1000:1000
ENTRYPOINT []
CMD ["animal-store-backup"]

FROM docker.io/library/node:24-bookworm-slim
LABEL org.opencontainers.image.title="animal-store" \
      org.opencontainers.image.description="A catalogue of animals over HTTP" \
      org.opencontainers.image.version="0.1.0"
# ADMIN_PORT is for the network of the container: publish only port 3000.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    ADMIN_HOST=0.0.0.0 \
    DATABASE_URL=sqlite:/data/animal-store.sqlite3
WORKDIR /service
COPY --from=build /installed ./
RUN ln -s /service/dist/app/main.js /usr/local/bin/animal-store && mkdir /data && chown node:node /data
# The user node, as a number, by which Kubernetes can tell that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --start-period=60s CMD ["node", "/service/deploy/check-ready.mjs"]
ENTRYPOINT ["node", "/service/dist/app/main.js"]
CMD ["serve"]
