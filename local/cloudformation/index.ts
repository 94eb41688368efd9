export { type Assembly, readAssemblies, readAssembly, type StackArtifact } from './assembly';
export type { PredictedChange } from './change-prediction';
export { customName } from './change-prediction';
export { CloudFormation, type DeployInput } from './cloud-formation';
export { type DeployOptions, type DeployTarget, deployAssembly, deployStacks } from './deploy';
export type { References } from './dynamic-references';
export { AssemblyError, type Environment, environmentsOf } from './environment';
export type { CloudFormationDependencies } from './ports';
export { PropertyReader } from './property-reader';
export type {
  AnyResourceType,
  ResourceType,
} from './resource-type';
export { ResponseBucket } from './response-bucket';
export type { DeployedResource, DeployedStack } from './stack-deployment';
export type { LiveResource, StackRecord } from './stack-record';
export {
  allowsMissingContext,
  allowsStandIns,
  type CustomResourceAnswer,
  type CustomResourceAnswers,
  isRuledType,
  type StandIn,
  type StandInRule,
  type StandIns,
} from './stand-ins/stand-in';
export type { CloudFormationTraceEvent } from './trace-events';
export { destroyStacks, StackFailed, StackNotFollowed, updateAssembly } from './update';
