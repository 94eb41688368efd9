export type { CloudFormationActions } from './actions/cloud-formation-action';
export { type Assembly, readAssembly, type StackArtifact } from './assembly';
export { CloudFormation, type DeployInput } from './cloud-formation';
export { type DeployOptions, deployAssembly, deployStacks } from './deploy';
export type { References, SecretReference } from './dynamic-references';
export { AssemblyError, type Environment, placeIn, placeOf } from './environment';
export type { CloudFormationTraceEvent } from './ports';
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
