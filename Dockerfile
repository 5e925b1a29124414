FROM docker.io/library/node:24-bookworm AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Lets the user of the image read the files, also if those of the checkout are private.
RUN npm run build && npm prune --omit=dev && chmod --recursive go+rX package.json dist deploy

FROM docker.io/library/node:24-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    DATABASE_URL=sqlite:/data/animal-store.sqlite3
WORKDIR /service
COPY --from=build /service/package.json ./
COPY --from=build /service/node_modules node_modules
COPY --from=build /service/dist dist
COPY --from=build /service/deploy/check-ready.mjs deploy/
RUN ln -s /service/dist/app/main.js /usr/local/bin/animal-store && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --start-period=60s CMD ["node", "/service/deploy/check-ready.mjs"]
ENTRYPOINT ["node", "/service/dist/app/main.js"]
CMD ["serve"]
