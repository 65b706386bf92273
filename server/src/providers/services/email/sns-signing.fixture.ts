/**
 * A key and its self-signed certificate in place of Amazon's, for tests only: they protect nothing. Made once with
 * openssl, because Node can read certificates but not make them; valid for a hundred years.
 */
import { sign } from 'node:crypto'

export type SnsFields = Record<string, string>

/** Signs the fields as SNS does: by name and value, in this order. */
export function signAsSns(fields: SnsFields, key: string = TEST_ONLY_KEY): SnsFields {
  const names =
    fields.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  const text = names
    .filter(name => name in fields)
    .map(name => `${name}\n${fields[name]}\n`)
    .join('')
  const algorithm = fields.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256'
  return { ...fields, Signature: sign(algorithm, Buffer.from(text), key).toString('base64') }
}

export const TEST_ONLY_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIDLTCCAhWgAwIBAgIUHdNK1BTOeihHfBdA/54nE0HSZ0kwDQYJKoZIhvcNAQEL
BQAwJTEjMCEGA1UEAwwadGVzdC1vbmx5LmNhcmlsbG9uLmV4YW1wbGUwIBcNMjYx
MTE1MDkzNDE4WhgPMjEyNjEwMjIwOTM0MThaMCUxIzAhBgNVBAMMGnRlc3Qtb25s
eS5jYXJpbGxvbi5leGFtcGxlMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKC
AQEAn6KpDipAJWjONwsNX1yEobQ79Pm8VCMjVn6Xa2i4MqAkineKHd6JVEHkNm4T
2iH14V8bS06pK2q5jHw8TCPCWDRtCduk57MRNZLtHMQiUECuYxl5Fpui5xE2XEp4
XneI5haMsGtGVMJVafkbbq81joyDhrK1wrT3moC5BH7HKTzSITgbiXsRcR3gty5t
1GpuYjDenCK5cP80tz8vVjCqzOwFlyU+FR0M/z/N/ENRsprRjnsig/Bnbm+cyPQW
c9x0RsMkOwbfRyUi225fe8nHrLgYOTovf9kft5hpHdZcr1NB2QWBvQMGY5BKI5+b
4jM0ZFbUQA2tNimuZDDOrXQzBwIDAQABo1MwUTAdBgNVHQ4EFgQUWXVlvgik+Ul+
rpGY/YwJOW8BuhUwHwYDVR0jBBgwFoAUWXVlvgik+Ul+rpGY/YwJOW8BuhUwDwYD
VR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsFAAOCAQEAfB3Fgxlioiyxo5DcMt2n
Aj4XYYXHOAIgJ+/73EDGFX9suInrD4v++6o+IwkjAjLnIhSe6Eqn4qhfSHw2ZSJG
3PhvvW1dfD/RXxEzkGHSOb9uwNoaG1AIybbivxKJPTFnos4zu70z3cRQV0kcjAJ6
Ck+OKnBw20cZvddWXkBt2DlWjujSjPpksN+yNNOfrzbniNKdu6vJ4IkUczig42pA
OJ8gJPrTo3fFt9KLS9udp4uenUnrOBGOPmKSEdvM13dEexG4gi+5TV8rV7CM4UY+
krb3RWlTAcLMkFeWzx12+r+F4MfNFhXXN1kkCXfw9YE8HebmEKV+uZJmd1ZCTTQg
mA==
-----END CERTIFICATE-----
`

const TEST_ONLY_KEY = `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCfoqkOKkAlaM43
Cw1fXIShtDv0+bxUIyNWfpdraLgyoCSKd4od3olUQeQ2bhPaIfXhXxtLTqkrarmM
fDxMI8JYNG0J26TnsxE1ku0cxCJQQK5jGXkWm6LnETZcSnhed4jmFoywa0ZUwlVp
+RturzWOjIOGsrXCtPeagLkEfscpPNIhOBuJexFxHeC3Lm3Uam5iMN6cIrlw/zS3
Py9WMKrM7AWXJT4VHQz/P838Q1GymtGOeyKD8Gdub5zI9BZz3HRGwyQ7Bt9HJSLb
bl97ycesuBg5Oi9/2R+3mGkd1lyvU0HZBYG9AwZjkEojn5viMzRkVtRADa02Ka5k
MM6tdDMHAgMBAAECggEABR/7vXCtzoWm2S2JqF4YA/j9U8gQu8LFB6nYwqICB94M
TkW4MW1Li2DyKq0uBfrBIhMjlS9ZTwOGIXR7mxYqzxofxgk/KhEdpFKrOhkx4NGy
x4uxz3//ottym1PouV+tDXX73k4TW/VBOL2+m7cUSRdJwbFLFI0qxdMMHZDUZAZ6
y5CO+TRDKwc+W4KE56o3K2NLH2yaoOygVT8P9OTvvoF51XnvKnY9UPBHT13ff4C/
iwsdMUjv8niCIxMXLjPi0tNcUzFBJD3cEVpmg0+58ggtrmHHKoGeIY3CxK649PL6
agcJZ/9Iz6YV/MlQhgSYTx7FM4nXlzi33aYbjPO0AQKBgQDgV+sWRaP0i5Dft+1u
DzO4ELWkghqgtPur/OpJ1W3nDQwg1T0MRJfURDZMQC0Sy4UYcYcRE2vLgUfXo5Dg
0xus7H04s5ETzLZ9bTK6IGgFMf/LlGn4fEgjcl5+TQ5nwhGZWySPGlwo7Ax5KAgR
G1QTVVEmkz1lN+ZaJvYsFB22QQKBgQC2KUIBKDEbCUXHO38+xktLiaNRIdoZCQB2
AXZU9fHlZiy/5Xa3m0zK1pWk0dgWVv56Wu05yVLRDD+LR8sWUoJbdrjh+KrNuswN
rbB34uWAE0hlJ1AGy/z0GPNOxt2ojlwEWqkMD5Y4HxI3z9/mWy00EwcZcJSGKQ3n
azmEDULnRwKBgB6nhMTvUR7qLyqSnEvMofmFtvw6lt7cvALdNTpPgovuuXiHCqdx
e/mSNIUow7/stUwIvzbzG2icSq/JdtNxpTd0vQuRZcJ513m+AQ9zvCLxmQ09Q1mj
ycumJglGCDDfUL5OuOkg5fTlhDLN6IRF4rAdmVAXEG2TPNOWvU56lTDBAoGAJZIa
3/w3LJlb//yggQULEJhhy+EMh69Ynf4tNtbHPoY1YprkQnhQfWGG2cjCJdFpiTjp
xspkP2OkU4jKNV9tLYouFcVhDS+i2ItjY0a0CRdxDhPuqIg4MuxWen//xb0e83Lz
fN5WIFsgOcyxJGTXzO7DvxZ+O7GKAZoW8cp+aw8CgYEAjN9kRqJCoqffs3iAirAt
/srYs29Y+euOuIQShv+DMMTpYLHQJw8Mc9gSvhpEOGhL/g2nYWeECg5HzCIIheAH
If5qODX07biXaZN7WasptFirTgWTRCnjGCLarBxXautIWy8AzDJjM5QpOrsNuhG0
2Dtbdb9I8FKjs/xeNW5E2oQ=
-----END PRIVATE KEY-----
`
