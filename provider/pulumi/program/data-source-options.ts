import type * as pulumi from "@pulumi/pulumi";

/* In its own file, because the package's types must not need those of other packages, such as zod. */

/** Options of the plain form of a data source. */
export interface DataSourceOptions {
  /**
   * The tenant to ask: a `Provider` of this package.
   *
   * @default `undefined`: the provider of `parent`, then stack configuration and environment.
   */
  provider?: pulumi.ProviderResource;
  /** A resource, such as the component that asks, whose provider is used. */
  parent?: pulumi.Resource;
}

/** Options of the Output form of a data source. */
export interface DataSourceOutputOptions extends DataSourceOptions {
  /**
   * Resources that must be there before the question is asked; of a component, its children. While one of
   * them is yet to be created, as in a preview, the result is unknown. Resources that arguments come from
   * need not be listed.
   */
  dependsOn?: pulumi.Input<pulumi.Input<pulumi.Resource>[]> | pulumi.Input<pulumi.Resource>;
}
