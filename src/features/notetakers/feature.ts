import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tables: {
    notetakers: {
      readers: ['company:read'],
      hidden: { ends_at: 'The end of the booking' },
      derived: {
        bot_id: "The provider's id of the bot",
        bot_join_at: 'What was ordered from the provider last',
        bot_meeting_url: 'What was ordered from the provider last',
        bot_requested_at: 'When the bot was requested from the provider',
        is_bot_gone: 'Whether no bot is left that could record',
        webhook_ids: 'The latest reports of the provider',
      },
    },
  },
}
