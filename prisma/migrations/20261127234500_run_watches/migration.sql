-- CreateTable
CREATE TABLE "run_watch" (
    "trigger" TEXT NOT NULL,
    "until" BIGINT NOT NULL,

    CONSTRAINT "run_watch_pkey" PRIMARY KEY ("trigger")
);

-- CreateTable
CREATE TABLE "run_notice" (
    "trigger" TEXT NOT NULL,
    "run_id" UUID NOT NULL,

    CONSTRAINT "run_notice_pkey" PRIMARY KEY ("trigger","run_id")
);
