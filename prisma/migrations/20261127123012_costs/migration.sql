-- AlterTable
ALTER TABLE "run" ADD COLUMN     "tokens" BIGINT,
ADD COLUMN     "usd" DOUBLE PRECISION;

-- CreateTable
CREATE TABLE "cost_day" (
    "day" DATE NOT NULL,
    "workflow" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "part" SMALLINT NOT NULL,
    "answers" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "usd" DOUBLE PRECISION NOT NULL,
    "estimated" BIGINT NOT NULL,
    "unpriced" BIGINT NOT NULL,
    "unknown" BIGINT NOT NULL,

    CONSTRAINT "cost_day_pkey" PRIMARY KEY ("day","workflow","model","by","part")
);
