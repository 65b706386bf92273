/** A mail in the layout `default` with a brand that is not saved: the layout as a text of its own, with the brand as a variable. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../app/api.ts'
import { asMail } from '../template-parts/part-preview.ts'
import type { Content } from '../templates/content.ts'
import { PreviewCard } from '../templates/preview-card.tsx'
import { usePreview } from '../templates/use-preview.ts'
import type { Brand } from './brand-tab.tsx'
import { readableOn, shadeFor } from './readable-colours.ts'

const READER = { locale: 'en', timezone: 'UTC' }
/** The grounds that mails have. */
const [LIGHT, DARK] = ['#ffffff', '#1d2026']

export function BrandPreview({ brand }: { brand: Brand }) {
  const { data: layout } = useQuery({
    queryKey: ['template-parts', 'layout', 'default'],
    queryFn: ({ signal }) => api.templateParts.get('layout', 'default', { signal }),
  })
  const content = useMemo((): Content => {
    const source = (layout?.source ?? '').replace(/\bbranding\b/g, 'brand_draft')
    const mail = asMail('layout', source || ' ').content
    return {
      ...mail,
      subject: `A mail from ${brand.name}`.replaceAll('{', ''),
      variables: [{ name: 'brand_draft', required: true, description: '' }],
    }
  }, [layout, brand.name])
  const data = useMemo(() => ({ brand_draft: variablesOf(brand) }), [brand])
  const preview = usePreview({
    channel: 'email',
    content,
    data,
    reader: READER,
    isAllowed: layout !== undefined,
  })
  return <PreviewCard channel="email" preview={preview} />
}

function variablesOf(brand: Brand) {
  const colour = /^#[0-9a-f]{6}$/i.test(brand.primary_color) ? brand.primary_color : '#000000'
  const dark = shadeFor(colour, DARK!)
  return {
    ...brand,
    primary_color: colour,
    on_primary_color: readableOn(colour),
    link_color: shadeFor(colour, LIGHT!),
    link_color_dark: dark,
    on_link_color_dark: readableOn(dark),
  }
}
