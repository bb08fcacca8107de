-- AlterTable
ALTER TABLE "login_session" DROP COLUMN "refresh",
DROP COLUMN "vouched_until";

-- AlterTable
ALTER TABLE "person" ADD COLUMN     "asked_at" TIMESTAMPTZ(3),
ADD COLUMN     "voucher" TEXT;
