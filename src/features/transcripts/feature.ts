import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Transcripts: 'What was said in recordings: speakers, times, and figures for coaching.' },
  tables: {
    booking_transcripts: { restored: true },
    transcripts: {
      readers: ['agent-ops:read'],
      hidden: {
        entries: 'Too large for each change: GET /transcripts/:transcript_id returns them',
        provider_request_id: "The provider's id of the request",
      },
      purged: { entries: null, audio_url: '' },
    },
  },
}
