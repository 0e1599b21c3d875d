/** Kinds of identity provider that are known; the list grows, so any other text is possible. */
// prettier-ignore
export type IdentityProviderName =
  | "ad" | "adfs" | "amazon" | "apple" | "auth0" | "auth0-oidc" | "baidu" | "bitbucket" | "bitly" | "box" | "custom"
  | "daccount" | "dropbox" | "dwolla" | "email" | "evernote" | "evernote-sandbox" | "exact" | "facebook" | "fitbit"
  | "github" | "google-apps" | "google-oauth2" | "instagram" | "ip" | "line" | "linkedin" | "oauth1" | "oauth2"
  | "office365" | "oidc" | "okta" | "paypal" | "paypal-sandbox" | "pingfederate" | "planningcenter" | "salesforce"
  | "salesforce-community" | "salesforce-sandbox" | "samlp" | "sharepoint" | "shopify" | "shop" | "sms" | "soundcloud"
  | "thirtysevensignals" | "twitter" | "untappd" | "vkontakte" | "waad" | "weibo" | "windowslive" | "wordpress"
  | "yahoo" | "yandex"
  // Keeps the names above as suggestions while every string is accepted.
  | (string & {});
