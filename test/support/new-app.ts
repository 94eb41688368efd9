import { App, type AppProps } from 'aws-cdk-lib';

/** An app that leaves out what is slow and seldom the subject of a test: CDK's own validation, its metadata and its tree. */
export function newApp(props: AppProps = {}): App {
  return new App({
    builtinCloudFormationValidation: false,
    analyticsReporting: false,
    treeMetadata: false,
    ...props,
  });
}
