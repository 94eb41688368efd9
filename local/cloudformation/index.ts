export { type Assembly, readAssembly, type StackArtifact } from './assembly';
export { AssemblyError } from './assembly-error';
export { CloudFormation, type DeployInput } from './cloud-formation';
export type { CloudFormationActions } from './cloud-formation-actions';
export { type DeployOptions, deployAssembly, deployStacks } from './deploy';
export type { References, SecretReference } from './dynamic-references';
export { type Environment, placeIn, placeOf } from './environment';
export type { CloudFormationTraceEvent } from './happenings';
export { type PropertyProblem, PropertyReader } from './property-reader';
export type {
  AnyResourceType,
  AwaitedContext,
  AwaitedResourceType,
  CreateContext,
  CreatedResource,
  ResourceType,
} from './resource-type';
export type { DeployedResource, DeployedStack } from './stack-deployment';
export { StackDirectory, StackRecord } from './stack-record';
