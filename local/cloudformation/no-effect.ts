/**
 * What a cloud assembly may hold that changes nothing in the embedded AWS. Everything that is on none of these lists,
 * and not implemented either, fails the deploy by name.
 */

/** Artifacts that describe the app, for tools. */
export const ARTIFACTS_WITHOUT_EFFECT: ReadonlySet<string> = new Set(['none', 'cdk:tree', 'cdk:feature-flag-report']);

/**
 * Sections of a template. `Rules` holds CDK's check that the account is bootstrapped: there is nothing to bootstrap
 * here.
 */
export const SECTIONS_WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'AWSTemplateFormatVersion',
  'Description',
  'Metadata',
  'Rules',
]);

/** Resource attributes that matter when a stack is updated or deleted, which does not happen to an embedded one. */
export const RESOURCE_ATTRIBUTES_WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'DeletionPolicy',
  'UpdatePolicy',
  'UpdateReplacePolicy',
]);

/** Resource types that are for AWS's own statistics. */
export const TYPES_WITHOUT_EFFECT: ReadonlySet<string> = new Set(['AWS::CDK::Metadata']);
