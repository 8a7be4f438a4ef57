import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { 'Agent Memory': 'Facts that agents and members remember: about whom, learnt from what, and how long they hold.' },
  scopes: { memory: ['read', 'write'] },
  tables: {
    memories: {
      readers: ['memory:read'],
      hidden: {
        subject_id: 'The contact, the company or the opportunity that it is about',
        topic_norm: 'The normal form of the topic, by which it is compared',
        text_key: 'The normal form of the text, by which it is compared',
        lexemes: 'The words of the text, for search',
      },
      timeline: ['opportunity_id', 'contact_id', 'customer_id'],
    },
  },
}
