/** Where the documentation is, for outputs that people read far from this package. */
export const DOCS = "https://github.com/pulumi-identity/pulumi-identity/blob/main/docs";
