#!/usr/bin/env bash
# docs/languages.md: paths of `ignore_changes` have TypeScript's names. If the SDK translates them, the line can go.
# Guess: `ignore_changes` and `replace_on_changes` take the names of a Python program, inside a setting as well as at the top.
# Seen: the SDK translates `is_domain_connection`, but leaves `options.brute_force_protection` as it is. The engine knows no such
#   input, so it ignores and replaces nothing, without a word.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
python_packages pulumi==3.272.0 pulumi-auth0==3.49.0
cat >main.py <<'PYTHON'
import pulumi
import pulumi.runtime.mocks as mocks

class Mocks(mocks.Mocks):
    def new_resource(self, args):
        print("inputs:", sorted(args.inputs), sorted(args.inputs.get("options", {})))
        return "id", args.inputs
    def call(self, args):
        return {}

class Monitor(mocks.MockMonitor):
    def RegisterResource(self, request):
        if request.custom:
            print("ignoreChanges:", list(request.ignoreChanges))
            print("replaceOnChanges:", list(request.replaceOnChanges))
        return super().RegisterResource(request)

pulumi.runtime.set_mocks(Mocks(), monitor=Monitor(Mocks()))
import pulumi_auth0 as auth0

@pulumi.runtime.test
def program():
    names = ["is_domain_connection", "options.brute_force_protection"]
    return auth0.Connection(
        "customers",
        strategy="auth0",
        is_domain_connection=True,
        options={"brute_force_protection": True},
        opts=pulumi.ResourceOptions(ignore_changes=names, replace_on_changes=names),
    ).urn

program()
PYTHON
shows venv/bin/python main.py <<'SEEN'
ignoreChanges: ['isDomainConnection', 'options.brute_force_protection']
replaceOnChanges: ['isDomainConnection', 'options.brute_force_protection']
inputs: ['isDomainConnection', 'options', 'strategy'] ['bruteForceProtection']
SEEN
