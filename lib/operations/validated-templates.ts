import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  CfnResource,
  type IPolicyValidationContext,
  type IPolicyValidationContextBeta1,
  type PolicyValidationPluginReportBeta1,
  type PolicyValidationStack,
  type PolicyViolation,
  type PolicyViolationBeta1,
  Stack,
} from 'aws-cdk-lib';
import { isObject, type JsonObject, parseObject } from '../../policy/json-members';
import {
  type AssemblyFiles,
  manifestStack,
  synthesizedTemplate,
  templatePathOf,
} from '../../template/synthesized-template';
import type { TemplateStack } from '../../template/template-stack';

const FILES: AssemblyFiles = {
  list: folder => readdirSync(folder),
  exists: existsSync,
  readText: file => readFileSync(file, 'utf8'),
  folderOf: path.dirname,
  join: path.join,
};

/** What CDK passes to a validation plugin. Before 2.262 it passes only the files of the templates. */
export type ValidationContext = Pick<IPolicyValidationContextBeta1, 'templatePaths'> & Partial<AppContext>;

type AppContext = Pick<IPolicyValidationContext, 'appConstruct' | 'stackTemplates'>;

/**
 * Reads the templates that CDK passes to a plugin. The stacks of a stage are deployed together. With an older CDK,
 * names, environments and construct paths come from the manifest of the assembly.
 */
export function stagesOf(context: ValidationContext): readonly (readonly TemplateStack[])[] {
  const { appConstruct, stackTemplates, templatePaths } = context;
  if (appConstruct && stackTemplates) return stagesOfApp({ appConstruct, stackTemplates });
  const folders = [...new Set(templatePaths.map(it => path.dirname(it)))];
  return folders.map(folder => stacksInManifest(folder, new Set(templatePaths)));
}

/**
 * A plugin's report, in the type that every CDK has. That type requires a logical id for each resource. The versions
 * that pass stacks to plugins accept a construct path instead. The older ones would fail, so they get no resource.
 */
export function reportOf(
  { stackTemplates }: ValidationContext,
  success: boolean,
  violations: readonly PolicyViolation[],
): PolicyValidationPluginReportBeta1 {
  const shown = violations.map(it => {
    const resources = it.violatingResources.filter(at => stackTemplates || at.resourceLogicalId !== undefined);
    return { ...it, violatingResources: resources } as PolicyViolationBeta1;
  });
  return { success, violations: shown };
}

function stagesOfApp(context: AppContext): readonly (readonly TemplateStack[])[] {
  const paths = pathsByTemplate(context);
  const names = stackNames(context);
  const pathsOf = (templatePath: string) => paths.get(path.basename(templatePath)) ?? new Map<string, string>();
  const asStack = ({ templatePath, stackConstructPath, accountId, region }: PolicyValidationStack): TemplateStack => {
    const stackName = names.get(stackConstructPath) ?? path.posix.basename(stackConstructPath);
    const read = synthesizedTemplate(FILES, templatePath, pathsOf);
    return { ...read, stackName, stackPath: stackConstructPath, account: accountId, region };
  };
  return byStage(context.stackTemplates).map(stacks => stacks.map(asStack));
}

type Paths = Map<string, Map<string, string>>;

/** The construct paths of each template by logical id. A template need not contain them. */
function pathsByTemplate({ appConstruct }: AppContext): Paths {
  const paths: Paths = new Map();
  for (const construct of appConstruct.node.findAll()) {
    if (!CfnResource.isCfnResource(construct)) continue;
    const { stack } = construct;
    const ofTemplate = paths.get(stack.templateFile) ?? new Map<string, string>();
    paths.set(stack.templateFile, ofTemplate.set(String(stack.resolve(construct.logicalId)), construct.node.path));
  }
  return paths;
}

function stackNames({ appConstruct }: AppContext): ReadonlyMap<string, string> {
  const stacks = appConstruct.node.findAll().filter(it => Stack.isStack(it));
  return new Map(stacks.map(stack => [stack.node.path, stack.stackName]));
}

/** Groups stacks by stage: the stacks of a stage are in one folder and are deployed together. */
function byStage(stacks: readonly PolicyValidationStack[]): PolicyValidationStack[][] {
  const stages = new Map<string, PolicyValidationStack[]>();
  for (const stack of stacks) {
    const folder = path.dirname(stack.templatePath);
    stages.set(folder, [...(stages.get(folder) ?? []), stack]);
  }
  return [...stages.values()];
}

function artifactsIn(folder: string): readonly (readonly [string, JsonObject])[] {
  const artifacts = parseObject(FILES.readText(path.join(folder, 'manifest.json')))?.['artifacts'];
  return Object.entries(isObject(artifacts) ? artifacts : {}).flatMap(([id, it]) =>
    isObject(it) && it['type'] === 'aws:cloudformation:stack' ? [[id, it] as const] : [],
  );
}

function stacksInManifest(folder: string, templatePaths: ReadonlySet<string>): readonly TemplateStack[] {
  return artifactsIn(folder)
    .filter(([, artifact]) => templatePaths.has(templatePathOf(FILES, folder, artifact)))
    .map(([id, artifact]) => manifestStack(FILES, folder, id, artifact));
}
