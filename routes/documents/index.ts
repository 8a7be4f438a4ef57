import { documentsApi } from './documents.ts'
import { filesApi } from './files.ts'
import { notepadsApi } from './notepads.ts'
import { publicImageUploadApi } from './public-image-upload.ts'
import { documentTemplatesApi } from './templates.ts'
import { trainingCanvasesApi, trainingCardsApi } from './training.ts'
import { whiteboardsApi } from './whiteboards.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [
  ...[documentsApi, documentTemplatesApi, filesApi, whiteboardsApi, notepadsApi],
  ...[trainingCanvasesApi, trainingCardsApi, publicImageUploadApi],
]
