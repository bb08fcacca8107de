-- CreateTable
CREATE TABLE "oauth_record" (
    "digest" BYTEA NOT NULL,
    "kind" TEXT NOT NULL,
    "grant_id" TEXT,
    "sealed" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "consumed_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_record_pkey" PRIMARY KEY ("digest")
);

-- CreateTable
CREATE TABLE "connected_client" (
    "id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "described" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "choice" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "connected_client_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "oauth_record_grant_id_idx" ON "oauth_record"("grant_id");

-- CreateIndex
CREATE INDEX "oauth_record_expires_at_idx" ON "oauth_record"("expires_at");

-- CreateIndex
CREATE INDEX "oauth_record_clients" ON "oauth_record"("kind") WHERE (kind = 'Client');

-- CreateIndex
CREATE INDEX "connected_client_key_id_idx" ON "connected_client"("key_id");
