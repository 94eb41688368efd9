export { type Assembly, readAssembly, type StackArtifact } from './assembly';
export { AssemblyError } from './assembly-error';
export { type DeployOptions, deployAssembly, deployStacks } from './deploy';
export { type Environment, placeIn, placeOf } from './environment';
export { type PropertyProblem, PropertyReader } from './property-reader';
export type { CreateContext, CreatedResource, ResourceType } from './resource-type';
export type { DeployedResource, DeployedStack } from './stack-deployment';
