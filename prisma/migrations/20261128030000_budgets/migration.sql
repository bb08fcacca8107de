-- CreateTable
CREATE TABLE "usage_day" (
    "day" DATE NOT NULL,
    "workflow" TEXT NOT NULL,
    "part" SMALLINT NOT NULL,
    "runs" BIGINT NOT NULL,
    "writes" BIGINT NOT NULL,

    CONSTRAINT "usage_day_pkey" PRIMARY KEY ("day","workflow","part")
);

-- CreateTable
CREATE TABLE "budget" (
    "name" TEXT NOT NULL,
    "pattern" TEXT NOT NULL,
    "per" TEXT NOT NULL,
    "usd" DOUBLE PRECISION,
    "tokens" BIGINT,
    "writes" BIGINT,
    "runs" BIGINT,
    "set_by" TEXT NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "budget_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "budget_notice" (
    "budget" TEXT NOT NULL,
    "unit" TEXT NOT NULL,
    "since" DATE NOT NULL,
    "share" SMALLINT NOT NULL,

    CONSTRAINT "budget_notice_pkey" PRIMARY KEY ("budget","unit","since","share")
);

-- Not expressible in the schema: a row that is counted up stays within its page.
ALTER TABLE "usage_day" SET (fillfactor = 50);
