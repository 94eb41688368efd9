export { readAssembly, type StackArtifact } from './assembly';
export { CloudFormation } from './cloud-formation';
export { type DeployOptions, deployAssembly, deployStacks } from './deploy';
export type { References } from './dynamic-references';
export { AssemblyError, placeIn, placeOf } from './environment';
export { PropertyReader } from './property-reader';
export type {
  AnyResourceType,
  ResourceType,
} from './resource-type';
export type { DeployedResource, DeployedStack } from './stack-deployment';
export type { CloudFormationTraceEvent } from './trace-events';
