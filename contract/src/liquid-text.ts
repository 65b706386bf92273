/** The text of a template or of a part, in Liquid. */
import { z } from 'zod'

export const LiquidText = (max: number) => z.string().min(1).max(max)
