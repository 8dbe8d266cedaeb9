{
  description = "brawn: fast heap and memory functions for static musl programs";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      version = "@VERSION@";
      sums = {
        x86_64 = "@SHA256_X86_64@";
        aarch64 = "@SHA256_AARCH64@";
      };
      package = arch:
        let
          pkgs = nixpkgs.legacyPackages."${arch}-linux";
          name = "brawn-${version}-${arch}-unknown-linux-musl";
        in
        pkgs.stdenvNoCC.mkDerivation {
          pname = "brawn";
          inherit version;
          src = pkgs.fetchurl {
            url = "@REPOSITORY@/releases/download/v${version}/${name}.tar.gz";
            sha256 = sums.${arch};
          };
          sourceRoot = name;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The program is static, and stripped.
          dontBuild = true;
          dontFixup = true;
          installPhase = ''
            install -Dm755 -t $out/bin brawn cargo-brawn
            installManPage man/*.1
            installShellCompletion --bash completions/bash/brawn
            installShellCompletion --zsh completions/zsh/_brawn
            installShellCompletion --fish completions/fish/brawn.fish
          '';
          meta = {
            description = "Fast heap and memory functions for static musl programs";
            homepage = "@REPOSITORY@";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "brawn";
            platforms = [ "x86_64-linux" "aarch64-linux" ];
          };
        };
    in
    {
      packages.x86_64-linux.default = package "x86_64";
      packages.aarch64-linux.default = package "aarch64";
    };
}
