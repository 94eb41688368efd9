// On Node 20 the SDK advises an upgrade once for each test file; it has nothing to do with what is tested.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
