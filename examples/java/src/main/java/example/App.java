package example;

import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.core.Output;
import com.pulumi.deployment.InvokeOptions;
import io.github.pulumiidentity.identity.ConnectionProfile;
import io.github.pulumiidentity.identity.ConnectionProfileArgs;
import io.github.pulumiidentity.identity.DeviceCredentialRemoval;
import io.github.pulumiidentity.identity.DeviceCredentialRemovalArgs;
import io.github.pulumiidentity.identity.IdentityFunctions;
import io.github.pulumiidentity.identity.Provider;
import io.github.pulumiidentity.identity.ProviderArgs;
import io.github.pulumiidentity.identity.RoleGroupAssignment;
import io.github.pulumiidentity.identity.RoleGroupAssignmentArgs;
import io.github.pulumiidentity.identity.enums.ConnectionFeature;
import io.github.pulumiidentity.identity.inputs.GetGroupArgs;
import io.github.pulumiidentity.identity.inputs.GetRoleArgs;
import io.github.pulumiidentity.identity.inputs.GetUserPermissionsArgs;
import io.github.pulumiidentity.identity.inputs.StrategyOverrideArgs;
import io.github.pulumiidentity.identity.outputs.GetGroupResult;
import io.github.pulumiidentity.identity.outputs.GetRoleResult;
import io.github.pulumiidentity.identity.outputs.GetUserPermissionsResult;
import com.pulumi.resources.CustomResourceOptions;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The quickstart in Java. */
public final class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    private static void stack(Context ctx) {
        var supportAgent = IdentityFunctions.getRole(GetRoleArgs.builder().name("support-agent").build());
        var admins = IdentityFunctions.getGroup(GetGroupArgs.builder().name("directory-admins").build());
        var billing = IdentityFunctions.getGroup(GetGroupArgs.builder().name("billing-team").build());
        // What one of their members may do.
        var access = IdentityFunctions.getUserPermissions(
            GetUserPermissionsArgs.builder().userId("auth0|64c1f0a2b7d83e5f9a1b2c3d").build());

        // Connections to the identity providers of enterprise tenants are made from this profile.
        var enterprise = new ConnectionProfile("enterprise", ConnectionProfileArgs.builder()
            .name("enterprise")
            .connectionNamePrefixTemplate("con-{org_id}")
            .enabledFeatures(ConnectionFeature.Scim, ConnectionFeature.UniversalLogout)
            .strategyOverrides(Map.of("okta", StrategyOverrideArgs.builder()
                .enabledFeatures(ConnectionFeature.Scim)
                .build()))
            .build());

        // Members of these two directory groups work as support agents.
        new RoleGroupAssignment("support", RoleGroupAssignmentArgs.builder()
            .roleId(supportAgent.applyValue(GetRoleResult::id))
            .groupIds(Output.all(admins.applyValue(GetGroupResult::id), billing.applyValue(GetGroupResult::id)))
            .build());

        // Deletes a lost phone's credential, for good, if the stack's configuration has its id.
        var config = ctx.config();
        config.get("lostPhone").ifPresent(lostPhone ->
            new DeviceCredentialRemoval("lost-phone", DeviceCredentialRemovalArgs.builder()
                .deviceCredentialId(lostPhone)
                .build()));

        // The same on a second tenant, if the stack's configuration has one.
        config.get("euDomain").ifPresent(domain -> {
            var eu = new Provider("eu", ProviderArgs.builder()
                .domain(domain)
                .clientId(config.require("euClientId"))
                .clientSecret(config.requireSecret("euClientSecret"))
                .build());
            var onEu = InvokeOptions.builder().provider(eu).build();
            var role = IdentityFunctions.getRole(GetRoleArgs.builder().name("support-agent").build(), onEu);
            var group = IdentityFunctions.getGroup(GetGroupArgs.builder().name("directory-admins").build(), onEu);
            new RoleGroupAssignment("support-eu", RoleGroupAssignmentArgs.builder()
                .roleId(role.applyValue(GetRoleResult::id))
                .groupIds(group.applyValue(found -> List.of(found.id())))
                .build(), CustomResourceOptions.builder().provider(eu).build());
        });

        ctx.export("profileId", enterprise.id());
        // A program in Java can export texts, but no object of an SDK.
        ctx.export("permissions", access.applyValue(App::names));
    }

    private static List<String> names(GetUserPermissionsResult access) {
        return access.permissions().stream()
            .flatMap(permission -> permission.permissionName().stream())
            .collect(Collectors.toList());
    }
}
