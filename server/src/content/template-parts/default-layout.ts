/**
 * The layout of mails for tenants without their own. It is readable without images and styles, follows the reader's
 * light or dark mode, and fits a phone. Apart from plain elements, bodies may use the classes `button`, `muted`, `data`
 * (a table with lines) and `number` (a right-aligned cell).
 */
import { FIRST_TENANT } from '../../oversight/tenants/tenants.ts'

export const DEFAULT_LAYOUT = `<!doctype html>
<html lang="{{ recipient.locale }}" dir="{{ recipient.direction }}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>{{ subject }}</title>
<style>
  body { margin: 0; padding: 0; background: #f2f3f6; -webkit-text-size-adjust: 100%; }
  .ground { width: 100%; background: #f2f3f6; }
  .edge { padding: 32px 16px; }
  .sheet { width: 100%; max-width: 600px; background: #ffffff; border: 1px solid #e1e4ea; border-radius: 12px; }
  .brand, .content, .footer, .content td, .content th, .content li {
    font-family: -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
    font-size: 16px; line-height: 1.55; color: #23262d; overflow-wrap: anywhere; word-break: break-word;
  }
  .brand { padding: 28px 40px 0; font-size: 18px; font-weight: 700; color: {{ branding.link_color }}; }
  .brand a { color: {{ branding.link_color }}; text-decoration: none; }
  .brand img { display: block; border: 0; height: 36px; max-width: 240px; }
  .content { padding: 24px 40px 24px; }
  .footer { padding: 20px 40px 0; font-size: 13px; color: #666c78; text-align: center; }
  .footer a { color: #666c78; text-decoration: underline; }
  h1 { margin: 0 0 16px; font-size: 24px; line-height: 1.3; font-weight: 700; color: #14161a; }
  h2 { margin: 28px 0 12px; font-size: 19px; line-height: 1.35; font-weight: 700; color: #14161a; }
  h3 { margin: 24px 0 8px; font-size: 16px; line-height: 1.4; font-weight: 700; color: #14161a; }
  p { margin: 0 0 16px; }
  ul, ol { margin: 0 0 16px; padding: 0 0 0 24px; }
  li { margin: 0 0 6px; }
  a { color: {{ branding.link_color }}; text-decoration: underline; }
  img { max-width: 100%; }
  hr { margin: 24px 0; border: 0; border-top: 1px solid #e1e4ea; }
  blockquote { margin: 0 0 16px; padding: 2px 0 2px 16px; border-left: 3px solid #d3d7df; color: #4d535e; }
  code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 14px; }
  a.button {
    display: inline-block; padding: 12px 26px; border-radius: 8px; font-weight: 600; text-decoration: none;
    background: {{ branding.primary_color }}; color: {{ branding.on_primary_color }};
  }
  .muted { color: #666c78; font-size: 14px; }
  table.data { width: 100%; margin: 0 0 16px; border-collapse: collapse; }
  table.data th { padding: 8px 12px 8px 0; border-bottom: 2px solid #d3d7df; text-align: left; font-size: 14px; color: #666c78; }
  table.data td { padding: 10px 12px 10px 0; border-bottom: 1px solid #e1e4ea; vertical-align: top; }
  table.data .number { padding-right: 0; text-align: right; white-space: nowrap; }
  @media all {
    [dir='rtl'] table.data th { text-align: right !important; }
    [dir='rtl'] table.data .number { text-align: left !important; }
  }
  @media (prefers-color-scheme: dark) {
    body, .ground { background: #121418 !important; }
    .sheet { background: #1d2026 !important; border-color: #30343d !important; }
    .brand, .brand a { color: {{ branding.link_color_dark }} !important; }
    .content, .content td, .content li, .content p { color: #d9dce2 !important; }
    h1, h2, h3 { color: #f4f5f7 !important; }
    a { color: {{ branding.link_color_dark }} !important; }
    a.button { background: {{ branding.link_color_dark }} !important; color: {{ branding.on_link_color_dark }} !important; }
    .muted, .content p.muted, .content td.muted, .content th, .footer, .footer a { color: #9ba1ad !important; }
    blockquote { border-color: #444955 !important; color: #b4b9c3 !important; }
    hr, table.data th, table.data td { border-color: #30343d !important; }
  }
  @media (max-width: 620px) {
    .edge { padding: 0 0 24px !important; }
    .sheet { border-radius: 0 !important; border-width: 0 0 1px !important; }
    .brand { padding: 20px 20px 0 !important; }
    .content { padding: 20px 20px 16px !important; }
    .footer { padding: 16px 20px 0 !important; }
    h1 { font-size: 22px !important; }
    a.button { display: block !important; text-align: center !important; }
  }
</style>
</head>
<body>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr><td class="edge" align="center">
  <!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
  <table role="presentation" class="sheet" cellpadding="0" cellspacing="0" border="0">
    {% if branding.logo_url or branding.name != '${FIRST_TENANT}' %}<tr><td class="brand">{% if branding.website_url %}<a href="{{ branding.website_url }}">{% if branding.logo_url %}<img src="{{ branding.logo_url }}" alt="{{ branding.name }}" height="36">{% else %}{{ branding.name }}{% endif %}</a>{% elsif branding.logo_url %}<img src="{{ branding.logo_url }}" alt="{{ branding.name }}" height="36">{% else %}{{ branding.name }}{% endif %}</td></tr>{% endif %}
    <tr><td class="content">
{{ content }}
    </td></tr>
  </table>
  <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
    <tr><td class="footer">{{ branding.footer | escape | newline_to_br | raw }}</td></tr>
    {% if links.preferences %}<tr><td class="footer">{% if links.unsubscribe %}<a href="{{ links.unsubscribe }}">{{ 'links.unsubscribe' | t }}</a><br>{% endif %}<a href="{{ links.preferences }}">{{ 'links.preferences' | t }}</a></td></tr>{% endif %}
  </table>
  <!--[if mso]></td></tr></table><![endif]-->
</td></tr>
</table>
</body>
</html>
`
