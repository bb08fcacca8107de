-- AlterTable
ALTER TABLE "login_session" ADD COLUMN     "makers" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "login_code" ADD COLUMN     "makers" TEXT[] DEFAULT ARRAY[]::TEXT[];
