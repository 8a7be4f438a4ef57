import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tables: { birthday_deliveries: { merges: { contact: { contact_id: 'birthday_messages' } } } },
}
