-- CreateTable
CREATE TABLE "poll" (
    "name" TEXT NOT NULL,
    "workflow" TEXT NOT NULL,
    "basis" TEXT NOT NULL,
    "generation" INTEGER NOT NULL,
    "begins" TEXT,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "polled_at" TIMESTAMPTZ(3),
    "found" JSON,
    "failure" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),

    CONSTRAINT "poll_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "poll_key" (
    "poll" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "run_id" UUID,

    CONSTRAINT "poll_key_pkey" PRIMARY KEY ("poll","key")
);

-- CreateIndex
CREATE INDEX "poll_key_poll_seen_at_idx" ON "poll_key"("poll", "seen_at");

-- AddForeignKey
ALTER TABLE "poll_key" ADD CONSTRAINT "poll_key_poll_fkey" FOREIGN KEY ("poll") REFERENCES "poll"("name") ON DELETE CASCADE ON UPDATE CASCADE;
