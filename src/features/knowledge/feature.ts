import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    'Agent Knowledge Bases': 'Knowledge bases that the voice provider has: copies of knowledge bases, from which voice agents answer.',
    'Knowledge Bases': 'Texts that answer questions: bases, their entries, and the search for passages.',
    'AI Knowledge': 'One search over knowledge bases, memories and records, with the source of each hit.',
  },
  scopes: { knowledge: ['read', 'write', 'delete'], 'voice-kbs': ['read', 'write', 'delete'] },
  tables: {
    knowledge_agents: { restored: true },
    knowledge_bases: {
      readers: ['knowledge:read'],
      derived: { last_syncs: 'What the latest synchronisations have done to the entries, which are recorded themselves' },
    },
    knowledge_chunks: { restored: true },
    knowledge_entries: {
      readers: ['knowledge:read'],
      hidden: {
        text: 'Too large for each change, which has its length and its digest',
        source_key: 'What a source knows it by',
        source_sha256: 'What a change of its source is known by',
        etag: 'What the page had when it was read last',
      },
      derived: { synced_at: 'When its source was last read, changed or not' },
    },
  },
}
