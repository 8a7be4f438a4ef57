import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { proving } from './proof.ts'

const GB = 2 ** 30
const MEMORY = '/dev/shm'

/** Where the folders of a run may be. */
export const SCRATCH_FOLDERS = existsSync(MEMORY) ? [tmpdir(), MEMORY] : [tmpdir()]

/** The folder for the databases of a run: in memory where there is plenty of it, because their files are written often and never kept. */
export function scratchFolder(): string {
  if (proving || !existsSync(MEMORY) || process.availableMemory() < 12 * GB) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize < 8 * GB ? tmpdir() : MEMORY
}
