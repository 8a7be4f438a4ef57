/** Descriptions of the named schemas of knowledge. */
export const KNOWLEDGE_SCHEMAS: Record<string, string> = {
  KnowledgeBase: 'Texts that answer questions about one subject.',
  KnowledgeBaseDetails: 'A knowledge base with the number of its entries.',
  KnowledgeAgent: 'An agent that answers from a knowledge base.',
  DetachedAgent: 'An agent that answers from a knowledge base no more.',
  VoiceBase: 'A knowledge base at the voice provider.',
  KnowledgeEntry: 'A text of a knowledge base, without the text itself.',
  KnowledgeEntryDetails: 'A text of a knowledge base.',
  SyncOutcome: 'What a synchronisation has done.',
  KnowledgeHit: 'A passage that answers a question, word for word.',
}
