import type { IntentInput } from '@carillon/contract'
import { useState } from 'react'
import { Command } from '../../ui/copy.tsx'
import { Card } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { curlOf, sdkOf } from './intent-code.ts'

export function IntentCodeCard({ intent }: { intent: IntentInput }) {
  const [language, setLanguage] = useState<'curl' | 'sdk'>('curl')
  return (
    <Card
      title="The same from your application"
      actions={
        <Segments
          label="Language"
          value={language}
          onChange={setLanguage}
          options={[
            { value: 'curl', label: 'curl' },
            { value: 'sdk', label: 'TypeScript' },
          ]}
        />
      }
    >
      <Command text={(language === 'curl' ? curlOf : sdkOf)(intent, location.origin)} />
    </Card>
  )
}
