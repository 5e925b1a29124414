FROM docker.io/library/node:24-bookworm AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Lets the user of the image read the files, also if those of the checkout are private.
RUN npm run build && npm prune --omit=dev && rm -r deploy/packages && \
    chmod --recursive go+rX package.json dist deploy docs

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
COPY --from=build /service/package.json ./
COPY --from=build /service/node_modules node_modules
COPY --from=build /service/dist dist
# Messages of the service name these files.
COPY --from=build /service/deploy deploy
COPY --from=build /service/docs docs
RUN ln -s /service/dist/app/main.js /usr/local/bin/animal-store && mkdir /data && chown node:node /data
# The user node, as a number, by which Kubernetes can tell that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --start-period=60s CMD ["node", "/service/deploy/check-ready.mjs"]
ENTRYPOINT ["node", "/service/dist/app/main.js"]
CMD ["serve"]
