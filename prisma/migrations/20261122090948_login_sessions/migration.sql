-- CreateTable
CREATE TABLE "login_session" (
    "id" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "login_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "login_code" (
    "digest" BYTEA NOT NULL,
    "key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "login_code_pkey" PRIMARY KEY ("digest")
);

-- CreateIndex
CREATE UNIQUE INDEX "login_session_digest_key" ON "login_session"("digest");

-- CreateIndex
CREATE INDEX "login_session_key_id_idx" ON "login_session"("key_id");

-- CreateIndex
CREATE INDEX "login_session_expires_at_idx" ON "login_session"("expires_at");

-- CreateIndex
CREATE INDEX "login_code_expires_at_idx" ON "login_code"("expires_at");
