/** A language or a time zone, with what the browser knows to choose from. */
import { type ComponentProps, useId } from 'react'
import { Input } from './field.tsx'

interface ListedInputProps extends Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'list'> {
  value: string
  onChange(value: string): void
}

const LOCALES =
  'en de fr es it pt pt-BR nl da sv nb fi pl cs hu ro bg el uk ru tr ar he fa hi bn ta th vi id ms ja ko zh zh-Hant'.split(
    ' ',
  )
const languages = new Intl.DisplayNames('en', { type: 'language' })
const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')]

export function sayLocale(locale: string): string {
  try {
    return languages.of(locale) ?? locale
  } catch {
    return locale
  }
}

export function LocaleInput({ value, onChange, ...props }: ListedInputProps) {
  const id = useId()
  return (
    <>
      <Input
        autoComplete="off"
        maxLength={35}
        {...props}
        list={id}
        value={value}
        onChange={event => onChange(event.target.value)}
      />
      <datalist id={id}>
        {LOCALES.map(each => (
          <option key={each} value={each}>
            {sayLocale(each)}
          </option>
        ))}
      </datalist>
    </>
  )
}

export function ZoneInput({ value, onChange, ...props }: ListedInputProps) {
  const id = useId()
  return (
    <>
      <Input
        autoComplete="off"
        {...props}
        list={id}
        value={value}
        onChange={event => onChange(event.target.value)}
      />
      <datalist id={id}>
        {ZONES.map(each => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  )
}
