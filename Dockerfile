# One image for every process of Baton; compose.yaml says which one a container is.
FROM node:24-bookworm-slim AS build
WORKDIR /baton
COPY package.json package-lock.json .npmrc ./
COPY apps ./apps
COPY libs ./libs
COPY prisma ./prisma
COPY prisma.config.ts tsconfig.json tsconfig.base.json ./
COPY scripts ./scripts
COPY mcp.json ./
COPY examples ./examples
# Sources run as they are; the Prisma client is generated. Development packages stay: the MCP servers of mcp.json are
# among them.
RUN node scripts/setup.mjs

FROM node:24-bookworm-slim
# setpriv (util-linux) ends MCP servers with their worker; tini reaps what they leave.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /baton
COPY --from=build --chown=node:node /baton ./
RUN mkdir -p /data && chown node:node /data
USER node
ENV NODE_ENV=production BATON_HOST=0.0.0.0 BATON_DATA=/data
VOLUME /data
EXPOSE 4400
ENTRYPOINT ["tini", "--", "node", "apps/cli/src/main.ts"]
CMD ["orchestrator"]
