import { filesApi } from '../files/files.ts'
import { publicImageUploadApi } from '../files/public-image-upload.ts'
import { notepadsApi } from '../notepads.ts'
import { trainingCanvasesApi, trainingCardsApi } from '../training.ts'
import { whiteboardsApi } from '../whiteboards.ts'
import { documentsApi } from './documents.ts'
import { documentTemplatesApi } from './templates.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [
  ...[documentsApi, documentTemplatesApi, filesApi, whiteboardsApi, notepadsApi],
  ...[trainingCanvasesApi, trainingCardsApi, publicImageUploadApi],
]
