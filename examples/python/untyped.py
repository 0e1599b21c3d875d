"""The same without an SDK, by Pulumi's generic classes. Names are those of the API's inputs."""

import pulumi
from pulumi.runtime import invoke_output

support_agent = invoke_output("identity:index:getRole", {"name": "support-agent"})
admins = invoke_output("identity:index:getGroup", {"name": "directory-admins"})
billing = invoke_output("identity:index:getGroup", {"name": "billing-team"})
# What one of their members may do.
access = invoke_output(
    "identity:index:getUserPermissions", {"userId": "auth0|64c1f0a2b7d83e5f9a1b2c3d"}
)

# Connections to the identity providers of enterprise tenants are made from this profile.
enterprise = pulumi.CustomResource(
    "identity:index:ConnectionProfile",
    "enterprise",
    {
        "name": "enterprise",
        "connectionNamePrefixTemplate": "con-{org_id}",
        "enabledFeatures": ["scim", "universal_logout"],
        "strategyOverrides": {"okta": {"enabledFeatures": ["scim"]}},
    },
)

# Members of these two directory groups work as support agents.
pulumi.CustomResource(
    "identity:index:RoleGroupAssignment",
    "support",
    {
        "roleId": support_agent["id"],
        "groupIds": [admins["id"], billing["id"]],
    },
)

# Deletes a lost phone's credential, for good, if the stack's configuration has its id.
if lost_phone := pulumi.Config().get("lostPhone"):
    pulumi.CustomResource(
        "identity:index:DeviceCredentialRemoval",
        "lost-phone",
        {"deviceCredentialId": lost_phone},
    )

pulumi.export("profileId", enterprise.id)
pulumi.export("permissions", access["permissions"])
