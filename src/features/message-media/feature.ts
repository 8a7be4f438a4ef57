import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tables: { message_media: { restored: true } },
}
