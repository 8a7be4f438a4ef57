import type { Warning } from '../../../domain/warnings.ts'
import type { LocalTime } from './schedule.ts'

/** A local time that the clocks skip, and the one that is stored instead. */
export type Moved = { sent: LocalTime; stored: LocalTime; zone: string }

export const movedWarnings = (moved: Moved | undefined, at = ''): Warning[] =>
  moved === undefined
    ? []
    : [
        {
          code: 'TIME_SKIPPED',
          field: `${at}schedule_time`,
          message:
            `The clocks of ${moved.zone} skip ${moved.sent.time} on ${moved.sent.date}: ` + `stored as ${moved.stored.time}, the next time`,
          details: { sent: moved.sent, stored: moved.stored },
        },
      ]
